// The files of this project that are made from the catalogue, each with the text it has to hold.
import { clientTypes } from '../describe/client-types.ts'

export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'client/resources.ts': clientTypes(),
})
