// What a route is to the pipeline.
import type { Gate, Permission } from '../catalogue/access.ts'
import type { Caller, Window } from '../state/state.ts'
import type { Call, Reply } from './exchange.ts'

// Public: answers anybody, and while everything else is down. Token: has an order of checks of its own.
export type Route = {
  readonly method: 'GET' | 'POST'
} & (
  | { readonly opens: 'to all'; answer(call: Call): Reply }
  | {
      // A token that is sent must be a valid one, and the answer is then for its caller.
      readonly opens: 'to all or tokens'
      answer(call: Call, caller: Caller | null): Reply
    }
  | {
      readonly opens: 'to credentials'
      answer(call: Call, note: (known: { window?: Window; accessKey?: string }) => void): Promise<Reply>
    }
  | {
      readonly opens: 'to tokens'
      // none: any valid token will do.
      readonly permission?: Permission
      // Which more can add fields to the answer.
      readonly gates?: readonly Gate[]
      answer(request: DataRequest): Promise<Reply> | Reply
    }
)

interface DataRequest {
  readonly call: Call
  readonly caller: Caller
  // What stands in the place of {id} in the path.
  readonly id: string
}

export interface Found {
  readonly route: Route
  // Its path with {id} in the place of an id: what those who watch the service count by.
  readonly name: string
  readonly id: string
}
