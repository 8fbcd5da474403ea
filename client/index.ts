// Everything this package offers to a program.
export {
  createClient,
  type Client,
  type FieldDescription,
  type ResourceDescription,
  type ClientOptions,
  type Meta,
  type Page,
  type Ping,
  type Query,
  type Status,
} from './client.ts'
export type { Change, FeedPart, FollowOptions } from './follow.ts'
export { VitrineError, type Fault } from './errors.ts'
export * from './resources.ts'
