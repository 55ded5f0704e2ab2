// `daybook completion`: what bash, zsh or fish need to complete a line, as a script for them. It is made of the commands
// themselves, and knows them as they were when it was made.
import { capabilityTable } from '../../../../engine/capability-table.ts'
import { memoryAgent } from '../../../../doors/p3394/client.ts'
import { toolSetNames, toolsOf } from '../../../../doors/mcp/tool-set.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import { bashScript } from './bash-script.ts'
import type { CompletionOption, CompletionTable } from './completion-table.ts'
import { fishScript } from './fish-script.ts'
import { zshScript } from './zsh-script.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

type Shared = Pick<Command, 'options' | 'help'>

/** `commands` are all there are, this one among them; `shared` is what each of them takes. */
export function createCompletion(commands: () => readonly Command[], shared: Shared): Command {
  return {
    name: 'completion',
    summary:
      'Prints a script with which a shell completes commands: add `source <(daybook completion bash)` to ~/.bashrc.',
    operands: 'bash | zsh | fish',
    options: {},
    help: {},
    run({ positionals: [shell = '', ...more], terminal }) {
      const known = Object.keys(scripts).find((one) => one === shell)
      if (known === undefined || more.length > 0)
        throw new UsageError('completion takes one of bash, zsh, fish')
      const script = scripts[known as keyof typeof scripts](tableOf(commands(), shared))
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
      options: optionsOf(command).concat(optionsOf(shared)),
      operands: operandsOf(command.name),
    })),
  }
}

function optionsOf({ options, help }: Shared): CompletionOption[] {
  return Object.entries(options).map(([name, { type }]) => {
    const [, place = '', text = ''] = /^(<[^>]*>|'[^']*'[^ ]*)?\s*(.*)$/.exec(help[name]?.trim() ?? '') ?? []
    return { name, takes: type === 'boolean' ? 'nothing' : takes(place), help: plain(text) }
  })
}

const takes = (place: string): CompletionOption['takes'] =>
  place === '<folder>' ? 'folder' : place === '<file>' ? 'file' : 'text'

/** What may stand after a command, place by place. A command that is not here takes files, or nothing that can be known. */
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

/** Without what shells or people would stumble over. */
const plain = (text: string) => text.replaceAll('`', '').replaceAll("'", '’')
