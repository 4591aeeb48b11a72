"""Completion in PowerShell, which click does not know: the script, and what answers it."""

from __future__ import annotations

import os
from typing import Final

from click.shell_completion import CompletionItem, ShellComplete, add_completion_class

NAME: Final = "powershell"
WORDS: Final = "COMP_WORDS"
INCOMPLETE: Final = "COMP_CWORD"

SCRIPT: Final = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $ast, $position)
    $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } |
        ForEach-Object { $_.Extent.Text })
    $env:COMP_WORDS = $before -join "`n"
    $env:COMP_CWORD = $word
    $env:%(complete_var)s = "powershell_complete"
    try {
        %(prog_name)s | ForEach-Object {
            $value, $about = $_ -split "`t", 2
            [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $about)
        }
    } finally {
        Remove-Item Env:COMP_WORDS, Env:COMP_CWORD, Env:%(complete_var)s -ErrorAction SilentlyContinue
    }
}
"""


class PowerShell(ShellComplete):
    """Reads the words before the cursor from lines, and answers a value and what it means in each."""

    name = NAME
    source_template = SCRIPT

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the finished words behind the program's name, and the one that is being typed."""
        words = [word.strip("\"'") for word in os.environ.get(WORDS, "").split("\n")]
        return words[1:], os.environ.get(INCOMPLETE, "").strip("\"'")

    def format_completion(self, item: CompletionItem) -> str:
        """Return one line; PowerShell takes no empty explanation."""
        about = " ".join((item.help or item.value).split())
        return f"{item.value}\t{about}"


def register() -> None:
    """Make click know this shell."""
    add_completion_class(PowerShell)
