// The task queue: what waits in it, and what comes round in it.
import type { BookCase } from './book-case.ts'
import { recurringCases } from './recurring.ts'
import { taskCases } from './task.ts'

export function queueCases(cases: BookCase, keepsKeys: boolean): void {
  taskCases(cases, keepsKeys)
  recurringCases(cases)
}
