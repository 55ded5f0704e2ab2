// The order of test files. Vitest begins with the longest as it knows them from the last run, or as long as their sources are:
// in a fresh clone the short sources that compute for a minute came last, and one core waited for the other.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const long = [
  'test/node/hosts/browser/crash-strict.test.ts',
  'test/node/hosts/browser/crash-relaxed.test.ts',
  'test/sim/first-thousand.test.ts',
  'test/sim/second-thousand.test.ts',
]

const isLong = ({ moduleId }: TestSpecification) => long.some((file) => moduleId.endsWith(file))

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
