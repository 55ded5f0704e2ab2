// Patterns of simple Japanese and Chinese sentences about their speaker.
import type { FactPattern } from './fact-pattern.ts'

const createPattern = (attribute: string, source: string): FactPattern => ({
  attribute,
  pattern: new RegExp(source, 'u'),
})

export const eastAsian: readonly FactPattern[] = [
  createPattern(
    'name',
    String.raw`(?:私の名前は|我叫|我的名字是|我的名字叫)(?<v>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{L}ー]{1,20}?)(?:です|と申します|$|[。，、.!])`,
  ),
  createPattern('home', String.raw`我(?:现在)?住在(?<v>\p{Script=Han}{2,12})`),
  createPattern('home', String.raw`(?<v>[\p{Script=Han}\p{Script=Katakana}]{2,12})に住んで`),
]
