// The kinds of routes, and a route as found for a path.
import type { Gate, Permission } from '../catalogue/access.ts'
import type { Caller, CredentialsPurpose, Window } from '../state/state.ts'
import type { Call, Reply } from './exchange.ts'

// Lets a route report what it learns about a request, for headers and log.
export type Note = (learned: { window?: Window; accessKey?: string }) => void

// 'to all' answers even while everything else is down. 'to credentials' has its own order of checks and errors in OAuth format.
export type Route = {
  readonly method: 'GET' | 'POST'
  // HEAD is answered like GET.
  readonly answersHead?: true
} & (
  | { readonly opens: 'to all'; answer(call: Call): Promise<Reply> | Reply }
  | {
      // A token is optional; if one is sent, it must be valid.
      readonly opens: 'to all or tokens'
      answer(call: Call, caller: Caller | null): Promise<Reply> | Reply
    }
  | {
      readonly opens: 'to credentials'
      // Decides which window of the address the headers show.
      readonly purpose: CredentialsPurpose
      answer(call: Call, note: Note): Promise<Reply>
    }
  | {
      readonly opens: 'to tokens'
      // Absent: any valid token.
      readonly permission?: Permission
      // Permissions that add fields to the answer.
      readonly gates?: readonly Gate[]
      answer(request: DataRequest): Promise<Reply> | Reply
    }
)

interface DataRequest {
  readonly call: Call
  readonly caller: Caller
  // In place of {id} in the path.
  readonly id: string
}

export interface RouteMatch {
  readonly route: Route
  // The path with {id} for the id; a label of the metrics.
  readonly name: string
  readonly id: string
}
