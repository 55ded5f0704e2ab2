// Patterns of simple Japanese and Chinese sentences about their speaker.
import type { Rule } from './rule.ts'

const rule = (attribute: string, pattern: string): Rule => ({ attribute, pattern: new RegExp(pattern, 'u') })

export const eastAsian: readonly Rule[] = [
  rule(
    'name',
    String.raw`(?:私の名前は|我叫|我的名字是|我的名字叫)(?<v>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{L}ー]{1,20}?)(?:です|と申します|$|[。，、.!])`,
  ),
  rule('home', String.raw`我(?:现在)?住在(?<v>\p{Script=Han}{2,12})`),
  rule('home', String.raw`(?<v>[\p{Script=Han}\p{Script=Katakana}]{2,12})に住んで`),
]
