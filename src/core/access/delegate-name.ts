// In which name somebody writes to whom a holder of a token has granted another one below it. Invariant: the name ends with
// that of the holder, whom the owner let in, so that no delegate passes for anybody else and all of them count together.

const ending = (holder: string) => ` by ${holder}`

/** `child by holder`. */
export const delegateName = (child: string, holder: string): string => child + ending(holder)

/** True for the name of a delegate of `holder`, or of one of its delegates. */
export const isDelegateOf = (name: string, holder: string): boolean => name.endsWith(ending(holder))

/** A condition of SQL that the name in one column is that of a delegate of the one in another. */
export const isDelegateSql = (name: string, holder: string): string =>
  `substr(${name}, -${ending('').length} - length(${holder})) = '${ending('')}' || ${holder}`

/** A condition of SQL that `column` is `holder` or a delegate of it, with its parameters. */
export function sameOrDelegate(
  column: string,
  holder: string,
): { readonly sql: string; readonly params: string[] } {
  const end = ending(holder)
  return { sql: `(${column} = ? OR substr(${column}, -length(?)) = ?)`, params: [holder, end, end] }
}
