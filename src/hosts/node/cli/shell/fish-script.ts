// The script for fish.
import type { CompletionCommand, CompletionTable } from './completion-table.ts'

export function fishScript({ commands }: CompletionTable): string {
  const first = commands.map(
    ({ name, summary }) => `complete -c daybook -n __fish_use_subcommand -f -a ${name} -d '${summary}'`,
  )
  return [...first, ...commands.flatMap(linesOf)].join('\n')
}

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
    const count = `test (count (commandline -opc)) -eq ${at + 2}`
    return `complete -c daybook -n '${seen(name)}; and ${count}' -f -a '${words.join(' ')}'`
  })
  return [...ofOptions, ...ofPlaces]
}
