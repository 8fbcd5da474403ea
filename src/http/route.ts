// What a route is to the pipeline.
import type { Gate, Permission } from '../catalogue/access.ts'
import type { Caller, CredentialsUse, Window } from '../state/state.ts'
import type { Call, Reply } from './exchange.ts'

// Told of what became known of a request while it was answered.
export type Note = (known: { window?: Window; accessKey?: string }) => void

// Public: answers anybody, and while everything else is down. Credentials: an order of checks of its own, errors in the OAuth
// format.
export type Route = {
  readonly method: 'GET' | 'POST'
  // HEAD is answered like GET, without the body.
  readonly answersHead?: true
} & (
  | { readonly opens: 'to all'; answer(call: Call): Reply }
  | {
      // A token that is sent must be a valid one, and the answer is then for its caller.
      readonly opens: 'to all or tokens'
      answer(call: Call, caller: Caller | null): Reply
    }
  | {
      readonly opens: 'to credentials'
      // Which window of the address its answers show.
      readonly use: CredentialsUse
      answer(call: Call, note: Note): Promise<Reply>
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
