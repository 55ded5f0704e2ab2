// The vendor's own suite for savers of checkpoints, whole.
import { validate } from '@langchain/langgraph-checkpoint-validation'
import * as vitest from 'vitest'
import { DaybookSaver } from '../../../../../src/doors/adapter/langgraph/langgraph.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'

// It takes the names of a test runner from the world.
const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } = vitest
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test: it })

const books = new Map<DaybookSaver, AsyncDisposable>()

validate({
  checkpointerName: 'DaybookSaver',
  async createCheckpointer() {
    const book = await openDaybook({ name: 'checkpoints', path: ':memory:' })
    const saver = new DaybookSaver(book)
    books.set(saver, book)
    return saver
  },
  async destroyCheckpointer(saver) {
    await books.get(saver)?.[Symbol.asyncDispose]()
    books.delete(saver)
  },
})
