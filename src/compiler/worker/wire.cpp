// Encoding in declaration order, checked lengths on the way back.
#include "src/compiler/worker/wire.hpp"

#include "src/base/byte_stream.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {

namespace {

constexpr std::size_t kTextBytes = 8;  // the least a text takes: its length
constexpr const char* kWhat = "message of the compile worker";

enum class Outcome : std::uint8_t {
    Program,
    CompileError,
    TypeError,
    ValueError,
    Unsupported,
    OutOfMemory,
    Device,
    Other,
};

void put_texts(ByteWriter& out, const std::vector<std::string>& texts) {
    out.put(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts) out.put(std::string_view(text));
}

std::vector<std::string> get_texts(ByteReader& in) {
    std::vector<std::string> texts(in.get_count(kTextBytes));
    for (std::string& text : texts) text = in.get_text();
    return texts;
}

std::vector<std::byte> encode_message(Outcome outcome, const std::exception& error) {
    ByteWriter out;
    out.put(static_cast<std::uint8_t>(outcome)).put(std::string_view(error.what()));
    return std::move(out).take();
}

// CompileError and UnsupportedError: with their place.
template <class E>
std::vector<std::byte> encode_source_error(Outcome outcome, const E& error) {
    ByteWriter out;
    out.put(static_cast<std::uint8_t>(outcome)).put(std::string_view(error.what()));
    out.put(std::string_view(error.log())).put(std::string_view(error.file())).put(error.line());
    return std::move(out).take();
}

template <class E>
[[noreturn]] void throw_source_error(ByteReader& in, const std::string& message) {
    std::string log = in.get_text();
    std::string file = in.get_text();
    const int line = in.get<int>();
    throw E(message, std::move(log), std::move(file), line);
}

}  // namespace

std::vector<std::byte> encode_request(Job job, const CompileRequest& request) {
    ByteWriter out;
    out.put(static_cast<std::uint8_t>(job));
    for (const std::string* text :
         {&request.source, &request.name, &request.target, &request.format}) {
        out.put(std::string_view(*text));
    }
    put_texts(out, request.options);
    put_texts(out, request.include_dirs);
    put_texts(out, request.name_expressions);
    put_mode(out, request.mode);
    out.put(static_cast<std::uint64_t>(request.headers.size()));
    for (const auto& [name, text] : request.headers) {
        out.put(std::string_view(name)).put(std::string_view(text));
    }
    return std::move(out).take();
}

JobRequest decode_request(std::span<const std::byte> bytes) {
    ByteReader in(bytes, kWhat);
    JobRequest result;
    const auto job = in.get<std::uint8_t>();
    in.require(job <= static_cast<std::uint8_t>(Job::ReadSignatures), "requests an unknown job");
    result.job = static_cast<Job>(job);
    CompileRequest& request = result.request;
    for (std::string* text : {&request.source, &request.name, &request.target, &request.format}) {
        *text = in.get_text();
    }
    request.options = get_texts(in);
    request.include_dirs = get_texts(in);
    request.name_expressions = get_texts(in);
    request.mode = get_mode(in);
    request.headers.resize(in.get_count(2 * kTextBytes));
    for (auto& [name, text] : request.headers) {
        name = in.get_text();
        text = in.get_text();
    }
    in.require_end();
    return result;
}

std::vector<std::byte> encode_program(const Program& program) {
    ByteWriter out;
    out.put(static_cast<std::uint8_t>(Outcome::Program));
    out.put(std::span<const std::byte>(serialise(program)));
    return std::move(out).take();
}

std::vector<std::byte> encode_error(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const CompileError& e) {
        return encode_source_error(Outcome::CompileError, e);
    } catch (const ArgumentError& e) {
        return encode_message(
            e.kind() == ArgumentError::Kind::Type ? Outcome::TypeError : Outcome::ValueError, e);
    } catch (const UnsupportedError& e) {
        return encode_source_error(Outcome::Unsupported, e);
    } catch (const OutOfMemoryError& e) {
        return encode_message(Outcome::OutOfMemory, e);
    } catch (const DeviceError& e) {
        return encode_message(Outcome::Device, e);
    } catch (const std::exception& e) {
        return encode_message(Outcome::Other, e);
    }
}

Program decode_result(std::span<const std::byte> bytes) {
    ByteReader in(bytes, kWhat);
    const auto outcome = static_cast<Outcome>(in.get<std::uint8_t>());
    if (outcome == Outcome::Program) {
        Program program = deserialise(in.get_block());
        in.require_end();
        return program;
    }
    in.require(outcome <= Outcome::Other, "has an unknown outcome");
    const std::string message = in.get_text();
    switch (outcome) {
        case Outcome::CompileError:
            throw_source_error<CompileError>(in, message);
        case Outcome::TypeError:
            throw ArgumentError(ArgumentError::Kind::Type, message);
        case Outcome::ValueError:
            throw ArgumentError(ArgumentError::Kind::Value, message);
        case Outcome::Unsupported:
            throw_source_error<UnsupportedError>(in, message);
        case Outcome::OutOfMemory:
            throw OutOfMemoryError(message);
        case Outcome::Device:
            throw DeviceError(message);
        default:
            throw Error(message);
    }
}

}  // namespace warpwise::compiler
