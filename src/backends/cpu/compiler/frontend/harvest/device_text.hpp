// What a compiler that takes no host code, NVRTC, must not read of a source, and what it
// needs: host functions and variables are removed; texture and surface references need their
// header; where what is left has no host or device attribute, it is the device's.
//
// Only the source itself is changed, not the headers it includes: those give it declarations.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclBase.h>

#include <string>
#include <vector>

#include "src/backends/cpu/compiler/frontend/diagnostics/diagnostics.hpp"
#include "src/backends/cpu/compiler/frontend/parse/declarations.hpp"

namespace warpwise::cpu_compiler {

struct DeviceText {
    std::vector<TextRange> blanks;  // of the source
    std::vector<TextRange> lines;   // of it too: #includes of what is not there
    bool has_references = false;    // textures or surfaces
    bool is_unmarked = false;       // something has no host or device attribute

    // See compiler::read_signatures(); empty when the source can stay as it is. `source` may have
    // been edited already; `library`: lines that precede it.
    std::string of(const std::string& source, bool is_edited, const std::string& library) const;
};

class DeviceTextFinder final : public clang::ASTConsumer {
  public:
    // All arguments outlive the consumer; `result` is what it finds.
    DeviceTextFinder(const DeclarationMap& declarations, const DiagnosticCollector& log,
                     DeviceText& result)
        : declarations_(declarations), log_(log), result_(result) {}

    void HandleTranslationUnit(clang::ASTContext& context) override;

  private:
    void look_into(const clang::DeclContext& context);
    void look_at(const clang::Decl& declaration);
    void look_at_variable(const clang::Decl& declaration);
    void blank_whole(const clang::Decl& declaration);
    void blank_attribute(const clang::Decl& declaration);

    const DeclarationMap& declarations_;
    const DiagnosticCollector& log_;
    DeviceText& result_;
    const clang::SourceManager* sources_ = nullptr;
};

}  // namespace warpwise::cpu_compiler
