// All that is kept of conversations.
import type { BookCase } from '../book-case.ts'
import { answerCases } from './answer.ts'
import { conversationCases } from './conversation.ts'
import { episodeCases } from './episode.ts'
import { historyFirstCases } from './history-first.ts'
import { lateSourceCases } from './late-source.ts'
import { madeFromCases, sealedSourceCases } from './made-from.ts'

/** As every host must keep it. `keepsKeys`: where sensitive records are read and written. */
export function conversationMemoryCases(cases: BookCase, keepsKeys: boolean): void {
  conversationCases(cases)
  episodeCases(cases)
  answerCases(cases)
  if (keepsKeys) sealedSourceCases(cases)
}

/** How what was made of a message follows it: rules that no host changes. */
export function sourceRuleCases(cases: BookCase, keepsKeys: boolean): void {
  madeFromCases(cases)
  historyFirstCases(cases, keepsKeys)
  lateSourceCases(cases, keepsKeys)
}
