// The consumer that, once clang has made the module, gathers what the run time must know of it and
// shapes the module as translation.hpp promises.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <clang/CodeGen/ModuleBuilder.h>

#include <cstdint>
#include <string>
#include <vector>

#include "src/backends/cpu/compiler/frontend/diagnostics/diagnostics.hpp"
#include "src/backends/cpu/compiler/frontend/harvest/name_expressions.hpp"
#include "src/backends/cpu/compiler/translation.hpp"

namespace warpwise::cpu_compiler {

struct HarvestResult {
    // Kernels and templates as a user would write them, for "it has ...".
    std::vector<std::string> candidates;
    // Sentences about name expressions that name nothing useful.
    std::vector<std::string> failures;
};

// What becomes of functions and variables that the source uses and does not define.
enum class Undefined : std::uint8_t {
    Refused,    // an error; variables that it declares are its own
    Reported,   // the same, but report_leftovers() refuses the kernels that reach the functions
    Elsewhere,  // other parts of the program define them
};

class Harvester final : public clang::ASTConsumer {
  public:
    // All arguments outlive the consumer; `result` is what it finds besides the translation.
    Harvester(clang::CodeGenerator& generator, Translation& translation, NameExpressions& names,
              DiagnosticCollector& log, HarvestResult& result, Undefined undefined)
        : generator_(generator),
          translation_(translation),
          names_(names),
          log_(log),
          result_(result),
          undefined_(undefined) {}

    bool HandleTopLevelDecl(clang::DeclGroupRef group) override;
    void HandleTranslationUnit(clang::ASTContext& context) override;
    // Host code is not run here: what it does in its functions is nothing to this compiler.
    bool shouldSkipFunctionBody(clang::Decl* declaration) override;

  private:
    void look_at(const clang::Decl& declaration);
    void harvest_kernels();
    void harvest_named_kernels();
    void harvest_globals(const clang::ASTContext& context);
    void define_extern_variables(const clang::ASTContext& context);
    void check_definitions(const clang::ASTContext& context);

    clang::CodeGenerator& generator_;
    Translation& translation_;
    NameExpressions& names_;
    DiagnosticCollector& log_;
    HarvestResult& result_;
    const Undefined undefined_;
};

}  // namespace warpwise::cpu_compiler
