// English words too common to find anything by. Kept short: a word that can carry meaning stays in.
const words =
  'a an and any are as at be been but by can could did do does for from had has have he her him his how i if in into is it ' +
  'its me might must my no not of on or our shall she should so some such than that the their them then there these they ' +
  'this those to too us was we were what when where which who whom whose why will with would you your am being just about ' +
  'also'

export const stopWords: ReadonlySet<string> = new Set(words.split(' '))
