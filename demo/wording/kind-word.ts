// The kinds of records in words, also those that have no view: `access_request` is an access request.

/** `memory`, `access request`. */
export const kindWord = (kind: string): string => kind.replaceAll('_', ' ')

/** `memories`, `access requests`. */
export function kindsWord(kind: string): string {
  return kindWord(kind)
    .replace(/(?<=[^aeiou])y$/, 'ie')
    .concat('s')
}
