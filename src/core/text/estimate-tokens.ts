// Estimates the size of a text in tokens of a language model. Pure.

/**
 * Estimated tokens of a text: one for four ASCII characters, and one for each other code point. An upper estimate for
 * English prose and scripts like Chinese with any model; at least a quarter of the characters.
 */
export function estimateTokens(text: string): number {
  let ascii = 0
  let other = 0
  for (const char of text) {
    if (char <= '\x7f') ascii += 1
    else other += 1
  }
  return Math.ceil(ascii / 4) + other
}
