// All that is kept of conversations, as every host must keep it.
import type { BookCase } from '../book-case.ts'
import { answerCases } from './answer.ts'
import { conversationCases } from './conversation.ts'
import { episodeCases } from './episode.ts'
import { historyFirstCases } from './history-first.ts'
import { lateSourceCases } from './late-source.ts'
import { madeFromCases, sealedSourceCases } from './made-from.ts'

/** `keepsKeys`: where sensitive records are read and written. */
export function conversationMemoryCases(cases: BookCase, keepsKeys: boolean): void {
  conversationCases(cases)
  episodeCases(cases)
  answerCases(cases)
  madeFromCases(cases)
  historyFirstCases(cases, keepsKeys)
  lateSourceCases(cases, keepsKeys)
  if (keepsKeys) sealedSourceCases(cases)
}
