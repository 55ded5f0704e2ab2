// The script for bash, from 3.2 on and without the package bash-completion.
// Invariant: ids have colons, at which bash parts words; the line is read as it stands, and answered as bash wants it.
import type { CompletionCommand, CompletionTable } from './completion-table.ts'

export function bashScript({ commands }: CompletionTable): string {
  const valued = new Set(
    commands.flatMap(({ options }) =>
      options.filter(({ takes }) => takes !== 'nothing').map((option) => `--${option.name}`),
    ),
  )
  const names = commands.map(({ name }) => name).join(' ')
  return `_daybook() {
  local line=\${COMP_LINE:0:COMP_POINT} words current previous operands=0 i
  read -ra words <<< "$line"
  case $line in *[[:space:]]) words+=('') ;; esac
  local last=$((\${#words[@]} - 1))
  current=\${words[last]}
  previous=\${words[last - 1]}
  COMPREPLY=()
  _daybook_words() {
    COMPREPLY=($(compgen -W "$1" -- "$current"))
    # What stands before the last colon stands already.
    case $current in *:*)
      local stem=\${current%"\${current##*:}"}
      for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=\${COMPREPLY[i]#"$stem"}; done ;;
    esac
  }
  if [ "$last" -eq 1 ]; then _daybook_words '${names} --help --version'; return; fi
  for ((i = 2; i < last; i++)); do
    case \${words[i]} in -*) continue ;; esac
    # What an option takes is no operand.
    case \${words[i - 1]} in ${[...valued].join(' | ')}) ;; *) operands=$((operands + 1)) ;; esac
  done
  case \${words[1]} in
${commands.map(caseOf).join('\n')}
  esac
}
complete -o default -F _daybook daybook`
}

function caseOf({ name, options, operands }: CompletionCommand): string {
  const taking = (kind: string) =>
    options.filter(({ takes }) => takes === kind).map((option) => `--${option.name}`)
  const [files, folders, texts] = [taking('file'), taking('folder'), taking('text')]
  const places = operands.map((words, at) => `        ${at}) _daybook_words '${words.join(' ')}' ;;`)
  return [
    `    ${name})`,
    '      case $previous in',
    ...(files.length > 0
      ? [`        ${files.join(' | ')}) COMPREPLY=($(compgen -f -- "$current")); return ;;`]
      : []),
    ...(folders.length > 0
      ? [`        ${folders.join(' | ')}) COMPREPLY=($(compgen -d -- "$current")); return ;;`]
      : []),
    ...(texts.length > 0 ? [`        ${texts.join(' | ')}) return ;;`] : []),
    '      esac',
    `      case $current in -*) _daybook_words '${options.map((option) => `--${option.name}`).join(' ')}'; return ;; esac`,
    '      case $operands in',
    ...places,
    '      esac ;;',
  ].join('\n')
}
