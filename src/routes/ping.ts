// GET /ping: any valid token; tells the client system who it is and what it may do.
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { refuseParameters } from './faults.ts'

export const pingRoute: Route = {
  method: 'GET',
  opens: 'to tokens',
  answer({ call, caller }) {
    refuseParameters(call.query)
    return json({ ok: true, client: caller.name, scopes: caller.permissions })
  },
}
