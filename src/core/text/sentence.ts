// The sentences of what was said, in any script: what summaries choose from and what facts are found in.

/** The sentences of `text`: parted at line ends and after full stops, in any script. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?…]["'”’)]{0,3})\s+(?=\P{Ll})|(?<=[。！？]["'”’」）]{0,3})/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}
