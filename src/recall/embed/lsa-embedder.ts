// An embedder by latent semantic analysis of the book's own texts, without an external model.
// Invariants: all work runs in slices of a few milliseconds; a new model is a new space.
import type { Clock, Embedder } from '../../core/ports.ts'
import type { ModelPart, ModelStore } from '../../store/vector/model-store.ts'
import type { LsaOptions } from './embedder-options.ts'
import { DaybookError } from '../../core/errors.ts'
import { type LsaModel, leastTexts, readLsa, trainLsa } from './lsa-model.ts'

const defaultDimensions = 128
/** The model is computed again when the book has grown by this factor. */
const growth = 1.5
/** Most texts for a model; of more, an even sample. */
const sampleLimit = 8192
const readBatch = 100
const sliceMs = 6
const tooFew = `It needs ${leastTexts} records or more to learn from.`
const learning = 'It learns from the records there are; full text answers meanwhile.'
const tooUnlike =
  'The records have too few words in common to learn from; it tries again when there are more.'

export interface LsaParts {
  readonly models: ModelStore
  readonly clock: Clock
}

export function createLsaEmbedder(options: LsaOptions, { models, clock }: LsaParts): Embedder {
  const { dimensions = defaultDimensions } = options
  let model: LsaModel | undefined
  let generation = 0
  /** The last derived record at the last attempt. */
  let tried = 0
  let training: Generator<void, ModelPart[] | undefined> | undefined
  const stored = models.load()
  if (stored?.dimensions === dimensions) {
    model = readLsa(stored.parts, dimensions)
    generation = stored.generation
    tried = stored.madeAt
  }

  function* train(): Generator<void, ModelPart[] | undefined> {
    const seqs = models.sample(sampleLimit)
    const texts: string[] = []
    for (let from = 0; from < seqs.length; from += readBatch) {
      texts.push(...models.texts(seqs.slice(from, from + readBatch)))
      yield
    }
    return yield* trainLsa(texts, dimensions)
  }

  const isDue = () => models.reach() >= (tried === 0 ? leastTexts : Math.ceil(tried * growth))

  /** Why there is no model. */
  const missing = () => {
    if (models.written() < leastTexts) return tooFew
    // Written records will be derived soon.
    const isComing = models.reach() < leastTexts
    return training || isComing || isDue() ? learning : tooUnlike
  }

  return {
    provider: 'lsa',
    dimensions,
    batch: 50,
    minSimilarity: options.minSimilarity ?? 0.45,
    besides: true,
    weight: options.weight ?? 0.3,
    get model() {
      return `book-${generation}`
    },
    get waiting() {
      return model ? undefined : missing()
    },
    prepare() {
      if (!training) {
        if (!isDue()) return false
        tried = models.reach()
        training = train()
      }
      const began = clock.now()
      while (clock.now() - began < sliceMs) {
        const { done, value: parts } = training.next()
        if (!done) continue
        training = undefined
        if (parts) {
          const saved = models.save({ dimensions, madeAt: tried, parts })
          model = readLsa(saved.parts, dimensions)
          generation = saved.generation
        }
        return false
      }
      return true
    },
    embed(texts, purpose) {
      const now = model
      if (!now) return Promise.reject(new DaybookError('embedder-failed', missing()))
      return Promise.resolve(texts.map((text) => now.embed(text, purpose)))
    },
    close() {
      training = undefined
    },
  }
}
