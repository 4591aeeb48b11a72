"""The programming languages that are cut by syntax: grammar, suffixes, and which nodes are definitions."""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """A grammar package with its entry point, and node types: definitions (with the word before the name), bodies."""

    module: str
    entry: str
    suffixes: tuple[str, ...]
    definitions: dict[str, str]
    bodies: frozenset[str]


_SCRIPT = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_signature": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "method_definition": "method",
    "abstract_method_signature": "method",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
    "internal_module": "namespace",
    "module": "module",
    "lexical_declaration": "",
    "variable_declaration": "",
    "public_field_definition": "",
    "field_definition": "",
}
_SCRIPT_BODIES = frozenset(
    {"program", "export_statement", "class_body", "statement_block", "ambient_declaration", "expression_statement"}
)
_C = {
    "function_definition": "function",
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "type_definition": "typedef",
    "preproc_function_def": "macro",
}
_C_BODIES = frozenset(
    {
        "translation_unit",
        "linkage_specification",
        "declaration_list",
        "preproc_ifdef",
        "preproc_if",
        "preproc_else",
        "preproc_elif",
    }
)

LANGUAGES: dict[str, Language] = {
    "javascript": Language(
        "tree_sitter_javascript", "language", (".js", ".mjs", ".cjs", ".jsx"), _SCRIPT, _SCRIPT_BODIES
    ),
    "typescript": Language(
        "tree_sitter_typescript", "language_typescript", (".ts", ".mts", ".cts"), _SCRIPT, _SCRIPT_BODIES
    ),
    "tsx": Language("tree_sitter_typescript", "language_tsx", (".tsx",), _SCRIPT, _SCRIPT_BODIES),
    "go": Language(
        "tree_sitter_go",
        "language",
        (".go",),
        {"function_declaration": "func", "method_declaration": "func", "type_declaration": "type"},
        frozenset({"source_file"}),
    ),
    "rust": Language(
        "tree_sitter_rust",
        "language",
        (".rs",),
        {
            "function_item": "fn",
            "struct_item": "struct",
            "enum_item": "enum",
            "union_item": "union",
            "trait_item": "trait",
            "impl_item": "impl",
            "mod_item": "mod",
            "macro_definition": "macro",
            "function_signature_item": "fn",
            "type_item": "type",
        },
        frozenset({"source_file", "declaration_list", "foreign_mod_item"}),
    ),
    "java": Language(
        "tree_sitter_java",
        "language",
        (".java",),
        {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "record_declaration": "record",
            "annotation_type_declaration": "@interface",
            "method_declaration": "method",
            "constructor_declaration": "constructor",
            "compact_constructor_declaration": "constructor",
        },
        frozenset({"program", "class_body", "interface_body", "enum_body", "enum_body_declarations"}),
    ),
    "c": Language("tree_sitter_c", "language", (".c", ".h"), _C, _C_BODIES),
    "cpp": Language(
        "tree_sitter_cpp",
        "language",
        (".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp"),
        {**_C, "class_specifier": "class", "namespace_definition": "namespace", "concept_definition": "concept"},
        _C_BODIES | {"field_declaration_list", "template_declaration"},
    ),
}

LEADS = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "decorator", "access_specifier"})
"""Nodes that belong to the definition right after them."""

FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "class", "generator_function"})
"""Values that make a variable of JavaScript a definition."""
