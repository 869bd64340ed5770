// What Ory Kratos posts to a relay of Watchword: `request_config.body` of its SMS channel.
function(ctx)
  local data = ctx.template_data;
  local headers = if ctx.request_headers == null then {} else ctx.request_headers;
  local codes = [
    data[name]
    for name in ['login_code', 'registration_code', 'verification_code', 'recovery_code']
    if std.objectHas(data, name)
  ];
  // Only of a proxy that overwrites these headers: otherwise users name their own address.
  local addresses = [
    headers[name][0]
    for name in ['True-Client-Ip', 'Cf-Connecting-Ip']
    if std.objectHas(headers, name)
  ];
  {
    to: ctx.recipient,
    text: ctx.body,
    type: ctx.template_type,
    [if std.length(codes) > 0 then 'code']: codes[0],
    [if std.length(addresses) > 0 then 'ip']: addresses[0],
  }
