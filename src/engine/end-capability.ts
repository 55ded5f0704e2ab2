// The verbs that end a book, and begin one anew under the name of one that was erased. Both are the owner's, ask for the name of
// the book, and can't be undone.
import { z } from 'zod'
import { defineCapability } from '../core/capability/capability.ts'

/** The name of the book, typed by whoever means it. */
const confirm = z.string().max(100)

export const endCapabilities = [
  defineCapability({
    id: 'daybook:erase',
    methods: ['erase'],
    summary:
      'Erases the whole book on this device, and first at its mirror if asked to. Asks for the name of the book; nothing brings it back, so export it before.',
    input: z.strictObject({ confirm, mirror: z.boolean().default(false) }),
    output: z.object({
      erased: z.literal(true),
      name: z.string(),
      /** True when it was erased at the mirror too. */
      mirror: z.boolean(),
    }),
    effect: 'task',
    runs: 'device',
    repeatable: true,
    isQueued: false,
    uses: ['end'],
    run: (input, at) => at.end.erase(input),
  }),
  defineCapability({
    id: 'daybook:begin_anew',
    methods: ['beginAnew'],
    summary:
      'After the book was erased at its mirror: begins a new one there under the same name, of all that this copy has. Asks for the name.',
    input: z.strictObject({ confirm }),
    output: z.object({
      /** False where somebody had begun it anew already: then this copy joined it. */
      begun: z.boolean(),
      pulled: z.number(),
      pushed: z.number(),
      conflicts: z.number(),
    }),
    effect: 'task',
    runs: 'device',
    repeatable: true,
    isQueued: false,
    uses: ['end'],
    run: (input, at) => at.end.beginAnew(input),
  }),
] as const
