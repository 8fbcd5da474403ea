// Everything this package offers to a program.
export {
  createClient,
  type Client,
  type FieldDescription,
  type ResourceDescription,
  type ClientOptions,
  type Ping,
  type Query,
  type Status,
} from './client.ts'
export type { Change, FeedPart, FollowOptions } from './follow.ts'
export type { Batch, Changes, ChangesOptions } from './changes.ts'
export type { Meta, Page } from './source.ts'
export { VitrineError, type Fault } from './errors.ts'
export * from './resources.ts'
