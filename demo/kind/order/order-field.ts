// By what the list of a kind can be ordered: a choice like a filter, so that the address, the chips and the keys have it too.
import type { Choice, ChoiceField } from '../filter-field.ts'

const always: readonly Choice[] = [
  order('changed', 'changed last first', '-updated_at'),
  order('stored', 'stored last first', '-created_at'),
  order('agent', 'by agent', 'agent'),
]

/** `timePath`: where a record's own time stands, by which the list is ordered unless something is chosen. */
export function orderField(timePath: string | undefined, ...more: readonly Choice[]): ChoiceField {
  const oldest = timePath === undefined ? [] : [order('oldest', 'oldest first', timePath)]
  return { type: 'choice', name: 'Order', isOne: true, choices: [...oldest, ...more, ...always] }
}

export function order(value: string, word: string, path: string): Choice {
  return { value, word, options: { order_by: path } }
}
