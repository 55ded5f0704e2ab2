// Whether a question asks for what its asker said or did: "when did I …", "my …", in the languages that most write in.
// What an assistant answered repeats that, at length, but is no witness of it.

const first =
  /(?<![\p{L}\p{N}])(?:i|my|mine|myself|ich|mein|meine|meinen|meinem|meiner|mir|mich|je|moi|mes|yo|mis|eu|meu|minha|meus|minhas|mio|mia|miei)(?![\p{L}\p{N}])|我|私|僕|俺|나는|내가|제가|저는/iu
/** What the assistant said is asked for. */
const second =
  /(?<![\p{L}])(?:(?:did|have|had|were|was|what|which|how) you|you (?:said|suggest|recommend|told|mention|gave|show|explain)\w*|your (?:advice|suggestion|recommendation|answer|plan)s?|hast du|du hast|tu as|as-tu|has dicho|você)(?![\p{L}])/iu

/** What a record of an agent keeps of its score when a question asks for what a person said. */
export const agentShare = 0.8

export const asksInFirstPerson = (text: string): boolean => first.test(text) && !second.test(text)
