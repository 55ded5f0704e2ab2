// By corpus: the first ten of its questions with the embedder `meaning`, but for those that name a day.
import { beliefsRanking } from './beliefs-ranking.ts'
import { changesRanking } from './changes-ranking.ts'
import { goldenRanking } from './golden-ranking.ts'
import { longRanking } from './long-ranking.ts'
import { synonymRanking } from './synonym-ranking.ts'
import { wholeRanking } from './whole-ranking.ts'

export const meaningRanking: Readonly<Record<string, string>> = {
  beliefs: beliefsRanking,
  changes: changesRanking,
  golden: goldenRanking,
  long: longRanking,
  synonym: synonymRanking,
  whole: wholeRanking,
}
