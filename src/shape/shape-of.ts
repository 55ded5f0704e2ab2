// Shapes of types that are declared elsewhere. Core declares what ports give; it has no zod, so verbs add the shape.
import type { z } from 'zod'

/** `T` as its shape has it: an optional key may be undefined, a list may change. */
type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? {
        -readonly [K in keyof T]: object extends Pick<T, K>
          ? Loose<Exclude<T[K], undefined>> | undefined
          : Loose<T[K]>
      }
    : T

/** Nothing to add if the shape has all keys of `T` and both have the same types; otherwise what differs. */
type Same<Shape, T> = [Exclude<keyof T, keyof Shape>] extends [never]
  ? [Loose<T>] extends [Loose<Shape>]
    ? [Loose<Shape>] extends [Loose<T>]
      ? unknown
      : { readonly shapeHasMore: Shape }
    : { readonly shapeHasLess: T }
  : { readonly shapeLacks: Exclude<keyof T, keyof Shape> }

/** The shape of `T`, checked by the compiler: `shapeOf<TaskEntry>()(z.object({ … }))`. */
export function shapeOf<T>() {
  return <Shape extends z.ZodType>(shape: Shape & Same<z.output<Shape>, T>): z.ZodType<T> =>
    shape as unknown as z.ZodType<T>
}
