// In the order of declaration, lengths checked on the way back.
#include "src/backends/cuda/nvrtc/nvrtc_wire.hpp"

#include "src/base/byte_stream.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

constexpr const char* kWhat = "message of the process that compiles for GPUs";
constexpr std::size_t kTextBytes = 8;  // the least a text takes: its length

void put_texts(ByteWriter& out, const std::vector<std::string>& texts) {
    out.put(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts) out.put(std::string_view(text));
}

std::vector<std::string> get_texts(ByteReader& in) {
    std::vector<std::string> texts(in.get_count(kTextBytes));
    for (std::string& text : texts) text = in.get_text();
    return texts;
}

}  // namespace

std::vector<std::byte> encode_job(const NvrtcRequest& request, const std::string& folder) {
    ByteWriter out;
    out.put(std::string_view(folder));
    out.put(std::string_view(request.source)).put(std::string_view(request.name));
    put_texts(out, request.options);
    put_texts(out, request.expressions);
    out.put(static_cast<std::uint8_t>(request.is_for_ptx));
    out.put(static_cast<std::uint8_t>(request.is_for_lto));
    out.put(static_cast<std::uint64_t>(request.headers.size()));
    for (const auto& [name, text] : request.headers) out.put(name).put(text);
    return std::move(out).take();
}

NvrtcJob decode_job(std::span<const std::byte> bytes) {
    ByteReader in(bytes, kWhat);
    NvrtcJob job;
    job.folder = in.get_text();
    job.request.source = in.get_text();
    job.request.name = in.get_text();
    job.request.options = get_texts(in);
    job.request.expressions = get_texts(in);
    job.request.is_for_ptx = in.get<std::uint8_t>() != 0;
    job.request.is_for_lto = in.get<std::uint8_t>() != 0;
    job.headers.resize(in.get_count(2 * kTextBytes));
    for (auto& [name, text] : job.headers) {
        name = in.get_text();
        text = in.get_text();
    }
    in.require_end();
    job.request.headers.assign(job.headers.begin(), job.headers.end());
    return job;
}

std::vector<std::byte> encode_answer(const NvrtcResult& result) {
    ByteWriter out;
    out.put(std::string_view());
    out.put(static_cast<std::uint8_t>(result.is_good)).put(std::string_view(result.log));
    out.put(std::span<const std::byte>(result.binary));
    out.put(static_cast<std::uint64_t>(result.lowered_names.size()));
    for (const auto& [expression, name] : result.lowered_names) {
        out.put(std::string_view(expression)).put(std::string_view(name));
    }
    return std::move(out).take();
}

std::vector<std::byte> encode_failure(const std::string& text) {
    ByteWriter out;
    out.put(std::string_view(text.empty() ? "NVRTC fails" : text));
    return std::move(out).take();
}

NvrtcResult decode_answer(std::span<const std::byte> bytes) {
    ByteReader in(bytes, kWhat);
    const std::string failure = in.get_text();
    if (!failure.empty()) throw DeviceError(failure);
    NvrtcResult result;
    result.is_good = in.get<std::uint8_t>() != 0;
    result.log = in.get_text();
    const std::span<const std::byte> binary = in.get_block();
    result.binary.assign(binary.begin(), binary.end());
    const std::size_t count = in.get_count(2 * kTextBytes);
    for (std::size_t i = 0; i < count; ++i) {
        std::string expression = in.get_text();
        result.lowered_names.emplace(std::move(expression), in.get_text());
    }
    in.require_end();
    return result;
}

}  // namespace warpwise::cuda
