// GET /ping, for any valid token: the name and permissions of the client system, and on a replica its lag.
import type { Engine } from '../engine/engine.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { refuseParameters } from './faults.ts'

export const pingRoute = (engine: Engine): Route => ({
  method: 'GET',
  opens: 'to tokens',
  answer({ call, caller }) {
    refuseParameters(call.query)
    const lag = engine.lagSeconds()
    return json({
      ok: true,
      client: caller.name,
      scopes: caller.permissions,
      ...(lag === null ? {} : { data_lag_seconds: lag }),
    })
  },
})
