// What can be completed, for whichever shell.
export interface CompletionOption {
  readonly name: string
  readonly takes: 'nothing' | 'text' | 'file' | 'folder'
  readonly help: string
}

export interface CompletionCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletionOption[]
  /** The words of the first place after the command, of the second, and so on; files where there are none. */
  readonly operands: readonly (readonly string[])[]
}

export interface CompletionTable {
  readonly commands: readonly CompletionCommand[]
}
