// zod shapes of types that core declares. Core imports no zod, so the verbs declare the shapes, and the compiler
// compares them.
import type { z } from 'zod'

/** `T` as zod infers it: an optional key may be undefined, a list is mutable. */
type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? {
        -readonly [K in keyof T]: object extends Pick<T, K>
          ? Loose<Exclude<T[K], undefined>> | undefined
          : Loose<T[K]>
      }
    : T

/**
 * `unknown` if the shape has all keys of `T` and both have the same types; else a type that names the difference.
 */
type Same<Shape, T> = [Exclude<keyof T, keyof Shape>] extends [never]
  ? [Loose<T>] extends [Loose<Shape>]
    ? [Loose<Shape>] extends [Loose<T>]
      ? unknown
      : { readonly shapeHasMore: Shape }
    : { readonly shapeHasLess: T }
  : { readonly shapeLacks: Exclude<keyof T, keyof Shape> }

/** Makes the shape of `T`, which the compiler checks: `shapeOf<TaskEntry>()(z.object({ … }))`. */
export function shapeOf<T>() {
  return <Shape extends z.ZodType>(shape: Shape & Same<z.output<Shape>, T>): z.ZodType<T> =>
    shape as unknown as z.ZodType<T>
}
