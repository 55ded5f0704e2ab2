// An embedder by latent semantic analysis of the book's own texts, without an external model.
// Invariants: all work runs in slices of a few milliseconds; a new model is a new space.
import { loadPart } from '../../core/load-part.ts'
import type { Clock, Embedder, Scheduler } from '../../core/ports.ts'
import type { ModelPart, ModelStore } from '../../store/vector/model-store.ts'
import type { LsaOptions } from './embedder-options.ts'
import { DaybookError } from '../../core/errors.ts'
import { type LsaModel, minTexts, readLsa } from './lsa-model.ts'

const defaultDimensions = 128
/** The model is computed again when the book has grown by this factor. */
const retrainGrowth = 1.5
/** Most texts for a model; of more, an even sample. */
const maxSampleTexts = 8192
const readBatch = 100
const sliceMs = 6
const tooFewRecords = `It needs ${minTexts} records or more to learn from.`
const learningReason = 'It learns from the records there are; full text answers meanwhile.'
const tooFewCommonWords =
  'The records have too few words in common to learn from; it tries again when there are more.'

export interface LsaDeps {
  readonly models: ModelStore
  readonly clock: Clock
  readonly scheduler: Pick<Scheduler, 'later'>
}

type TrainLsa = (typeof import('./lsa-training.ts'))['trainLsa']

const missingCode = {
  message: 'The code that learns from records could not be loaded.',
  details: { part: 'lsa' },
}

export function createLsaEmbedder(options: LsaOptions, { models, clock, scheduler }: LsaDeps): Embedder {
  const { dimensions = defaultDimensions } = options
  let model: LsaModel | undefined
  /** Number of the saved model. It is part of the name, so that each model has its own space. */
  let generation = 0
  /** The number (`seq`) of the last derived record at the last attempt without an error; 0: no attempt. */
  let lastTrainedSeq = 0
  let training: Generator<void> | undefined
  let trainLsa: TrainLsa | undefined
  const stored = models.load()
  if (stored?.dimensions === dimensions) {
    model = readLsa(stored.parts, dimensions)
    generation = stored.generation
    lastTrainedSeq = stored.madeAt
  }

  function* computeParts(trainLsa: TrainLsa): Generator<void, ModelPart[] | undefined> {
    const seqs = models.sampleSeqs(maxSampleTexts)
    const texts: string[] = []
    for (let from = 0; from < seqs.length; from += readBatch) {
      texts.push(...models.readTexts(seqs.slice(from, from + readBatch)))
      yield
    }
    return yield* trainLsa(texts, dimensions)
  }

  function* train(trainLsa: TrainLsa): Generator<void> {
    try {
      const madeAt = models.lastDerivedSeq()
      const parts = yield* computeParts(trainLsa)
      if (parts) {
        const saved = models.save({ dimensions, madeAt, parts })
        model = readLsa(saved.parts, dimensions)
        generation = saved.generation
      }
      // After an error, the next call of `prepare` trains again.
      lastTrainedSeq = madeAt
    } finally {
      training = undefined
    }
  }

  const loadTraining = async () => {
    ;({ trainLsa } = await loadPart(() => import('./lsa-training.ts'), missingCode, scheduler))
  }

  const isTrainingDue = () =>
    models.lastDerivedSeq() >= (lastTrainedSeq === 0 ? minTexts : Math.ceil(lastTrainedSeq * retrainGrowth))

  /** Why there is no model. */
  const noModelReason = () => {
    if (models.lastSeq() < minTexts) return tooFewRecords
    // Written records will be derived soon.
    const isDerivationPending = models.lastDerivedSeq() < minTexts
    return training || isDerivationPending || isTrainingDue() ? learningReason : tooFewCommonWords
  }

  return {
    provider: 'lsa',
    dimensions,
    batch: 50,
    minSimilarity: options.minSimilarity ?? 0.45,
    // Its hits count only if full text has hits too.
    needsOtherAnswer: true,
    weight: options.weight ?? 0.3,
    get model() {
      return `book-${generation}`
    },
    get waiting() {
      return model ? undefined : noModelReason()
    },
    prepare() {
      if (!training && !isTrainingDue()) return false
      if (!trainLsa) return loadTraining()
      const steps = (training ??= train(trainLsa))
      const startedMs = clock.now()
      while (clock.now() - startedMs < sliceMs) if (steps.next().done) return false
      return true
    },
    embed(texts, purpose) {
      const currentModel = model
      if (!currentModel) return Promise.reject(new DaybookError('embedder-failed', noModelReason()))
      return Promise.resolve(texts.map((text) => currentModel.embed(text, purpose)))
    },
    close() {
      training = undefined
    },
  }
}
