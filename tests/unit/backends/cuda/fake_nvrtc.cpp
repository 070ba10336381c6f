// An NVRTC that compiles nothing: the "cubin" of a source is the number of the process, the source
// itself and the options. A source with the word "crash" kills the process, "wrong" is an error,
// "slow" takes a while.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <thread>

namespace {

struct Program {
    std::string source;  // with the texts of its headers
    std::string own;     // without them: its words choose what compiling gives
    std::string made;
    std::string log;
    std::map<std::string, std::string> names;
};

int give(const std::string& text, char* to) {
    std::memcpy(to, text.data(), text.size());
    return 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvrtcVersion(int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return 0;
}
const char* nvrtcGetErrorString(int) {
    return "an error of the fake";
}
int nvrtcGetNumSupportedArchs(int* count) {
    *count = 1;
    return 0;
}
int nvrtcGetSupportedArchs(int* archs) {
    *archs = 90;
    return 0;
}
int nvrtcCreateProgram(Program** program, const char* source, const char*, int headers,
                       const char* const* texts, const char* const*) {
    *program = new Program{source, source, {}, {}, {}};
    for (int i = 0; i < headers; ++i) (*program)->source += texts[i];
    return 0;
}
int nvrtcDestroyProgram(Program** program) {
    delete *program;
    return 0;
}
int nvrtcAddNameExpression(Program* program, const char* name) {
    program->names[name] = std::string("lowered_") + name;
    return 0;
}
int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
    const std::string &source = program->source, &own = program->own;
    if (own.find("crash") != std::string::npos) ::raise(SIGKILL);
    if (own.find("slow") != std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    program->made = std::to_string(::getpid()) + " " + source;
    for (int i = 0; i < count; ++i) program->made += std::string(" ") + options[i];
    if (own.find("broken") != std::string::npos) return 11;
    if (own.find("wrong") == std::string::npos) return 0;
    program->log = "k.cu(1): error: wrong";
    return 6;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* size) {
    *size = program->log.size();
    return 0;
}
int nvrtcGetProgramLog(Program* program, char* to) {
    return give(program->log, to);
}
int nvrtcGetPTXSize(Program* program, std::size_t* size) {
    *size = program->made.size();
    return 0;
}
int nvrtcGetPTX(Program* program, char* to) {
    return give(program->made, to);
}
int nvrtcGetCUBINSize(Program* program, std::size_t* size) {
    *size = program->made.size();
    return 0;
}
int nvrtcGetCUBIN(Program* program, char* to) {
    return give(program->made, to);
}
int nvrtcGetLTOIRSize(Program* program, std::size_t* size) {
    *size = program->made.size();
    return 0;
}
int nvrtcGetLTOIR(Program* program, char* to) {
    return give(program->made, to);
}
int nvrtcGetLoweredName(Program* program, const char* name, const char** lowered) {
    *lowered = program->names[name].c_str();
    return 0;
}
}
#pragma GCC visibility pop
