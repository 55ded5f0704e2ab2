// Keys that somebody put where they do not belong, such as an address, are not repeated.

const keys = /\b(dbk1|dbt[12])\.[\w.%-]+/g

/** `text` without the keys and tokens of a book in it, and without `others`, secrets that have no form of their own. */
export function hideKeys(text: string, others: readonly string[] = []): string {
  const hidden = others.filter((one) => one !== '').reduce((rest, one) => rest.replaceAll(one, '…'), text)
  return hidden.replace(keys, '$1.…')
}
