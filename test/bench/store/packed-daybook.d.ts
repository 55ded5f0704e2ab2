// The package of an earlier Daybook. The methods that are called here are those of this Daybook.
declare module 'daybook-before' {
  export const openDaybook: typeof import('../../../src/index.ts').openDaybook
}
