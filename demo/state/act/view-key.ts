// Keys of the view on the page, whose code loads later. It sets `act` while it is on the page.
export const viewKeys: {
  /** Acts on a key and returns true, or returns false. */
  act: ((event: KeyboardEvent) => boolean) | undefined
} = { act: undefined }
