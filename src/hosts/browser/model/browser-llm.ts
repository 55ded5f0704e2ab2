// Language models for a book's worker: over HTTP, or the browser's own model, which only a page can use.
// Invariant: a request to the page ends at its deadline, even if the page is gone.
import { checkAborted, orAborted } from '../../../core/abort.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Llm } from '../../../core/ports.ts'
import { createLlm, unknownProvider } from '../../../memory/conversation/llm/llm-options.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { localFetch } from '../port/local-network.ts'
import type { BrowserLlmOptions, BuiltInOptions, PageModel } from '../worker-message.ts'

const web = { fetch: localFetch, AbortController, TextDecoder }

/**
 * The model of `options`; undefined without `options`. Throws `invalid-input` for an unknown provider. `page`
 * fetches the key of an HTTP model, or answers for the browser's model.
 */
export function createBrowserLlm(
  options: BrowserLlmOptions | undefined,
  page: PageModel | undefined,
): Llm | undefined {
  if (options?.provider === 'browser') {
    // Not from `openDaybook`, which offers `page` for this provider.
    if (!page) throw unknownProvider(options)
    return createBuiltInLlm(options, page)
  }
  const keyed = options?.provider === 'api' && page ? { ...options, key: () => page.key() } : options
  return createLlm(keyed, { web, scheduler: browserPorts.scheduler })
}

function createBuiltInLlm({ deadlineMs = 60_000, limitChars = 6000 }: BuiltInOptions, page: PageModel): Llm {
  let lastNumber = 0
  return {
    name: 'browser|built-in',
    limitChars,
    // The text stays on this device.
    takesSensitive: true,
    async answer(question, signal) {
      checkAborted(signal)
      // Identifies the question for `page.abort`.
      const number = ++lastNumber
      const { promise: late, reject } = Promise.withResolvers<never>()
      const cancel = browserPorts.scheduler.later(deadlineMs, () =>
        reject(new DaybookError('model-unavailable', `No answer came within ${deadlineMs} ms.`)),
      )
      try {
        const reply = await orAborted(Promise.race([page.answer(number, question), late]), signal)
        if (reply.ok) return reply.value
        throw DaybookError.from(reply.error)
      } catch (error) {
        void Promise.resolve(page.abort(number)).catch(() => undefined)
        throw error
      } finally {
        cancel()
      }
    },
  }
}
