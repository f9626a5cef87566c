"""Following: who follows what, what is new to them, and the messages that notify them.

::

    subscriptions   sign up, confirm, change, pause, delete; webhooks of programs
    targets         what can be followed: a search, a place, a body, a person's votes, a matter
    links           signed links to the personal page, and to stop messages
    matching        the second reader of the outbox: which new documents match which subscriptions
    deliveries      messages, leased and retried; digests; refusals
    messages        mail as plain text and HTML; what a webhook is sent
    bounces         reports of mail servers that a message was not delivered
    meeting_calendar   meetings of a place or body as iCalendar
    turn            match, collect and deliver; the process of clerk serve that does it

    document_changes --match--> follow_hits --collect--> follow_deliveries --send--> followers
"""
