-- Each stream is silent before it is linked, until ringer-pipewire lets it be heard: for programs that do not read the host's
-- stream.rules, as a sandbox with its own libpipewire. Links are made by later events, and messages keep their order.
SimpleEventHook {
  name = "ringer/born-silent",
  after = "node/restore-stream",
  interests = {
    EventInterest {
      Constraint { "event.type", "=", "node-added" },
      Constraint { "media.class", "=", "Stream/Output/Audio" },
    },
  },
  execute = function (event)
    local node = event:get_subject ()
    if node.properties ["node.link-group"] then return end -- an end of a loopback or filter
    node:set_param ("Props", Pod.Object {
      "Spa:Pod:Object:Param:Props", "Props",
      params = Pod.Struct { "channelmix.max-volume", 0.0 },
    })
  end
}:register ()
