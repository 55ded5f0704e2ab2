// The script for zsh.
import type { CompletionCommand, CompletionOption, CompletionTable } from './completion-table.ts'

export function zshScript({ commands }: CompletionTable): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${escaped(summary)}'`)
  return `#compdef daybook
_daybook() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(caseOf).join('\n')}
  esac
}
if [ "$funcstack[1]" = _daybook ]; then _daybook "$@"; else compdef _daybook daybook; fi`
}

/** In a specification of \`_arguments\` these have a meaning of their own. */
const escaped = (text: string) => text.replaceAll(/[:[\]\\]/g, '\\$&')

const actions = { nothing: '', text: ':text:', file: ':file:_files', folder: ':folder:_files -/' } as const

const optionOf = ({ name, takes, help }: CompletionOption) =>
  `'*--${name}[${escaped(help)}]${actions[takes]}'`

function caseOf({ name, options, operands }: CompletionCommand): string {
  const places = operands.map((words, at) => `'${at + 1}:word:(${words.map(escaped).join(' ')})'`)
  const rest = operands.length > 0 ? [] : [`'*:file:_files'`]
  return `    ${name}) _arguments ${[...options.map(optionOf), ...places, ...rest].join(' \\\n        ')} ;;`
}
