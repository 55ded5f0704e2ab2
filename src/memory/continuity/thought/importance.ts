// How important something is, read from what the agent says of it. The one table: the first phrase that is found decides.

/** In this order, wherever in the context it stands, in any case. */
const phrases: readonly (readonly [importance: number, ...phrases: readonly string[]])[] = [
  [1, 'critical', 'crucial', 'life-changing', 'must remember', 'never forget', 'extremely'],
  [0, 'not important', 'unimportant'],
  [0.75, 'very important', 'very significant', 'very noteworthy', 'very notable'],
  [0.75, 'significant', 'important', 'matters', 'key', 'essential'],
  [0.5, 'worth remembering', 'interesting', 'notable', 'noteworthy', 'remember'],
  [0.25, 'routine', 'normal', 'everyday', 'regular', 'usual'],
  [0, 'trivial', 'fleeting', 'forget'],
]

/** When nothing is said. */
export const usualImportance = 0.5
/** Of knowledge and decisions, whose agent took the trouble to call them that. */
export const highImportance = 0.75

/** 0 to 1: what `context` says of importance. */
export function importanceOf(context: string): number {
  const said = context.toLowerCase()
  const found = phrases.find(([, ...words]) => words.some((word) => said.includes(word)))
  return found?.[0] ?? usualImportance
}
