// `daybook completion`: prints a completion script for bash, zsh or fish, made from the list of commands.
import { capabilityTable } from '../../../engine/capability-table.ts'
import { memoryAgent } from '../../../doors/p3394/client.ts'
import { toolSetNames, toolsOf } from '../../../doors/mcp/tool-set.ts'
import { type Command, UsageError } from './command.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

type Shared = Pick<Command, 'options' | 'help'>

/**
 * `shared`: the options that every command takes. `commands` is a function, because the list contains this
 * command.
 */
export function createCompletion(commands: () => readonly Command[], shared: Shared): Command {
  return {
    name: 'completion',
    summary: 'Prints a completion script for a shell: add `source <(daybook completion bash)` to ~/.bashrc.',
    operands: 'bash | zsh | fish',
    options: {},
    help: {},
    run({ positionals: [shell = '', ...more], terminal }) {
      const name = Object.keys(scripts).find((one) => one === shell)
      if (name === undefined || more.length > 0)
        throw new UsageError('completion takes one of bash, zsh, fish')
      const script = scripts[name as keyof typeof scripts](tableOf(commands(), shared))
      terminal.answer({ shell, script }, script)
      return Promise.resolve()
    },
  }
}

function tableOf(commands: readonly Command[], shared: Shared): CompletionTable {
  return {
    commands: commands.map((command) => ({
      name: command.name,
      summary: plain(command.summary),
      options: optionsOf(command).concat(
        optionsOf(shared).filter(({ name }) => !Object.hasOwn(command.options, name)),
      ),
      operands: operandsOf(command.name),
    })),
  }
}

function optionsOf({ options, help }: Shared): CompletionOption[] {
  return Object.entries(options).map(([name, { type }]) => {
    // The form of a help text: see `Command.help`. `place`: the name of the option's value, as `<file>`.
    const [, place = '', text = ''] = /^(<[^>]*>|'[^']*'[^ ]*)?\s*(.*)$/.exec(help[name]?.trim() ?? '') ?? []
    return { name, takes: type === 'boolean' ? 'nothing' : takes(place), help: plain(text) }
  })
}

/** How a shell completes the value of an option. */
const takes = (place: string): CompletionOption['takes'] =>
  place === '<folder>' ? 'folder' : place === '<file>' ? 'file' : 'text'

/**
 * The words for each operand of a command. Empty for commands whose operands are files, or values that can't
 * be listed.
 */
function operandsOf(name: string): CompletionTable['commands'][number]['operands'] {
  const tools = toolSetNames.flatMap((set) => toolsOf([set], 'device').map((tool) => tool.name))
  const places: Readonly<Record<string, readonly (readonly string[])[]>> = {
    send: [[memoryAgent], capabilityTable.map(({ id }) => id)],
    mcp: [['call'], [...new Set(tools)]],
    completion: [Object.keys(scripts)],
    archive: [['put', 'list', 'verify']],
  }
  return places[name] ?? []
}

/** Removes backticks, and replaces apostrophes, which would end a quoted text in a script. */
const plain = (text: string) => text.replaceAll('`', '').replaceAll("'", '’')

interface CompletionOption {
  readonly name: string
  /** The option's value. */
  readonly takes: 'nothing' | 'text' | 'file' | 'folder'
  readonly help: string
}

interface CompletionCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletionOption[]
  /** The words for each operand; empty: files. */
  readonly operands: readonly (readonly string[])[]
}

interface CompletionTable {
  readonly commands: readonly CompletionCommand[]
}

// The script for bash 3.2 or later; works without the package bash-completion.
// Invariant: an id with a colon completes as one word, although bash splits words at colons: the script reads
// the raw line.

function bashScript({ commands }: CompletionTable): string {
  const valueOptions = new Set(
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
    # The line already has the part before the last colon.
    case $current in *:*)
      local stem=\${current%"\${current##*:}"}
      for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=\${COMPREPLY[i]#"$stem"}; done ;;
    esac
  }
  if [ "$last" -eq 1 ]; then _daybook_words '${names} --help --version'; return; fi
  for ((i = 2; i < last; i++)); do
    case \${words[i]} in -*) continue ;; esac
    # The value of an option is no operand.
    case \${words[i - 1]} in ${[...valueOptions].join(' | ')}) ;; *) operands=$((operands + 1)) ;; esac
  done
  case \${words[1]} in
${commands.map(bashCase).join('\n')}
  esac
}
complete -o default -F _daybook daybook`
}

function bashCase({ name, options, operands }: CompletionCommand): string {
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

function zshScript({ commands }: CompletionTable): string {
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
${commands.map(zshCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = _daybook ]; then _daybook "$@"; else compdef _daybook daybook; fi`
}

/** Escapes characters that have a meaning in `_arguments` of zsh. */
const escaped = (text: string) => text.replaceAll(/[:[\]\\]/g, '\\$&')

const actions = { nothing: '', text: ':text:', file: ':file:_files', folder: ':folder:_files -/' } as const

const optionOf = ({ name, takes, help }: CompletionOption) =>
  `'*--${name}[${escaped(help)}]${actions[takes]}'`

function zshCase({ name, options, operands }: CompletionCommand): string {
  const places = operands.map((words, at) => `'${at + 1}:word:(${words.map(escaped).join(' ')})'`)
  const rest = operands.length > 0 ? [] : [`'*:file:_files'`]
  return `    ${name}) _arguments ${[...options.map(optionOf), ...places, ...rest].join(' \\\n        ')} ;;`
}

function fishScript({ commands }: CompletionTable): string {
  const first = commands.map(
    ({ name, summary }) => `complete -c daybook -n __fish_use_subcommand -f -a ${name} -d '${summary}'`,
  )
  return [...first, ...commands.flatMap(linesOf)].join('\n')
}

/** The condition of fish that the line has this command. */
const seen = (name: string) => `__fish_seen_subcommand_from ${name}`

function linesOf({ name, options, operands }: CompletionCommand): string[] {
  const flags = {
    nothing: '',
    text: ' -x',
    file: ' -r -F',
    folder: " -x -a '(__fish_complete_directories)'",
  } as const
  const ofOptions = options.map(
    ({ name: option, takes, help }) =>
      `complete -c daybook -n '${seen(name)}' -l ${option}${flags[takes]} -d '${help}'`,
  )
  const ofPlaces = operands.map((words, at) => {
    // The words before the cursor: `daybook`, the command, and `at` operands.
    const count = `test (count (commandline -opc)) -eq ${at + 2}`
    return `complete -c daybook -n '${seen(name)}; and ${count}' -f -a '${words.join(' ')}'`
  })
  return [...ofOptions, ...ofPlaces]
}
