// Lines of a ranking: a question, and the keys of its first ten hits.

const separator = ' =>'

export const rankedLine = (text: string, found: readonly string[]): string =>
  [text + separator, ...found.slice(0, 10)].join(' ')

export const questionOf = (line: string): string => line.slice(0, line.lastIndexOf(separator))
