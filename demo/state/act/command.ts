// The commands of the palette. A command has a name and an act; the palette finds it by words of its name.
import { signal } from '@preact/signals'
import { go, listedKind } from '../address.ts'
import { type Place, places, viewNames } from '../../kind/view.ts'
import { type Command, listView } from './list-view.ts'

/** The acts of the page beside its places. Their code loads later. */
const acts = signal<() => readonly Command[]>(() => [])

export async function loadCommands(): Promise<void> {
  acts.value = (await import('./act-command.ts')).actCommands
}

/** Commands that fit the typed text, then search and recall with it. */
export function commandsFor(typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ name }: Command) => words.every((word) => name.toLowerCase().includes(word))
  return [...[...places.flatMap(placeCommands), ...acts.value()].filter(fits), ...asking(typed.trim())]
}

/** A place, and each of its other views. */
function placeCommands({ name, views: [home, ...others] }: Place): Command[] {
  return [
    { name: `Go to ${name}`, run: () => go({ view: home, id: undefined }) },
    ...others.map((view) => ({
      name: `Go to ${name}: ${viewNames[view]}`,
      run: () => go({ view, id: undefined }),
    })),
  ]
}

function asking(typed: string): Command[] {
  if (typed === '') return []
  return [
    {
      name: `Search ${listedKind.peek()?.many ?? 'traces'} for “${typed}”`,
      run: () => go({ view: listView(), search: typed, id: undefined }),
    },
    { name: `Recall: ${typed}`, run: () => go({ view: 'recall', question: typed, id: undefined }) },
  ]
}
